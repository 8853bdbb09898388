// Shader programs, simple enough for computers without a graphics card. Diffuse light according to Lambert; gloss
// according to Blinn (1977), with Schlick's (1994) approximation of the Fresnel equations.

const HEAD = (uniforms: string) => `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2DShadow;
${uniforms}
`;

/** 1 in the key light, 0 in shadow; soft, from three by three samples of the shadow map. */
const SHADE = `
uniform sampler2DShadow shadows;
const float APART = 2.4; // in texels: each reading is a mean of two by two
float lit(vec3 world, vec3 normal) {
  vec3 at = 0.5 * (toShadow * vec4(world + 0.01 * normal, 1.0)).xyz + 0.5;
  if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;
  vec2 apart = APART / vec2(textureSize(shadows, 0));
  float sum = 0.0;
  for (int i = -1; i <= 1; i++) {
    for (int j = -1; j <= 1; j++) sum += textureLod(shadows, vec3(at.xy + vec2(i, j) * apart, at.z - 0.0004), 0.0);
  }
  return sum / 9.0;
}`;

/**
 * Converts linear light for the screen: highlights roll off as in the Khronos neutral tone mapper, then the sRGB curve
 * applies.
 */
const SCREEN = `
const float KNEE = 0.76;
vec3 neutral(vec3 color) {
  float low = min(color.r, min(color.g, color.b));
  color -= low < 0.08 ? low - 6.25 * low * low : 0.04;
  float peak = max(color.r, max(color.g, color.b));
  if (peak < KNEE) return color;
  float rest = 1.0 - KNEE;
  float lowered = 1.0 - rest * rest / (peak + rest - KNEE);
  float pale = 1.0 - 1.0 / (0.15 * (peak - lowered) + 1.0);
  return mix(color * lowered / peak, vec3(lowered), pale);
}
vec3 screen(vec3 color) {
  vec3 c = clamp(neutral(color), 0.0, 1.0);
  return mix(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, 12.92 * c, vec3(lessThanEqual(c, vec3(0.0031308))));
}`;

const CORNER = `
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in uvec2 owner;`;

export interface Program {
  vertex: string;
  fragment: string;
}

/** Draws the machine as seen from the light: depth only. */
export function shadowProgram(uniforms: string): Program {
  return {
    vertex: `${HEAD(uniforms)}${CORNER}
void main() {
  gl_Position = toShadow * (transforms[owner.x] * vec4(position, 1.0));
}`,
    fragment: `${HEAD(uniforms)}
void main() {}`,
  };
}

/** Draws the machine with light from sky and ground, a key light with shadow, and a rim light. */
export function machineProgram(uniforms: string): Program {
  return {
    vertex: `${HEAD(uniforms)}${CORNER}
out vec3 world;
out vec3 across;
flat out uvec2 part;
void main() {
  vec4 at = transforms[owner.x] * vec4(position, 1.0);
  world = at.xyz;
  across = mat3(transforms[owner.x]) * normal;
  part = owner;
  gl_Position = toPicture * at;
}`,
    fragment: `${HEAD(uniforms)}${SHADE}${SCREEN}
in vec3 world;
in vec3 across;
flat in uvec2 part;
out vec4 result;
const float PI = 3.14159265;
const vec3 SKY = 2.1 * vec3(1.0);
const vec3 GROUND = 2.1 * vec3(0.205, 0.254, 0.309);
const vec3 KEY = 2.4 * vec3(1.0);
const vec3 RIM = 0.6 * vec3(0.738, 0.807, 0.913);
vec3 gloss(vec4 material, vec3 n, vec3 view, vec3 light) {
  vec3 between = normalize(light + view);
  vec3 fresnel = mix(material.rgb, vec3(1.0), pow(1.0 - max(dot(view, between), 0.0), 5.0));
  return fresnel * 0.25 / PI * (0.5 * material.a + 1.0) * pow(max(dot(n, between), 0.0), material.a);
}
void main() {
  vec3 n = normalize(across);
  vec3 fromKey = KEY * max(dot(n, key.xyz), 0.0);
  if (fromKey.r > 0.0) fromKey *= lit(world, n);
  vec3 fromRim = RIM * max(dot(n, rim.xyz), 0.0);
  vec3 around = mix(GROUND, SKY, 0.5 * n.y + 0.5);
  vec3 color = colors[part.y].rgb / PI * (around + fromKey + fromRim) + glows[part.x].rgb;
  vec4 material = glosses[part.y];
  if (material.a > 0.0) {
    vec3 view = normalize(eye.xyz - world);
    color += fromKey * gloss(material, n, view, key.xyz) + fromRim * gloss(material, n, view, rim.xyz);
  }
  result = vec4(screen(color), 1.0);
}`,
  };
}

/** Draws the floor, which is transparent except for the shadow. */
export function floorProgram(uniforms: string, material: number): Program {
  return {
    vertex: `${HEAD(uniforms)}
layout(location = 0) in vec3 position;
out vec3 world;
void main() {
  world = position;
  gl_Position = toPicture * vec4(position, 1.0);
}`,
    fragment: `${HEAD(uniforms)}${SHADE}${SCREEN}
in vec3 world;
out vec4 result;
void main() {
  result = vec4(screen(colors[${material}].rgb), 0.32 * (1.0 - lit(world, vec3(0.0, 1.0, 0.0))));
}`,
  };
}

/** Draws the grid on the floor, which fades towards its edge. */
export function gridProgram(uniforms: string, material: number): Program {
  return {
    vertex: `${HEAD(uniforms)}
layout(location = 0) in vec4 position; // w: opacity
out float seen;
void main() {
  seen = position.w;
  gl_Position = toPicture * vec4(position.xyz, 1.0);
}`,
    fragment: `${HEAD(uniforms)}${SCREEN}
in float seen;
out vec4 result;
void main() {
  result = vec4(screen(colors[${material}].rgb), seen);
}`,
  };
}
