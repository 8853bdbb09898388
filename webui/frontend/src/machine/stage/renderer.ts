// Renders with WebGL 2 in four draw calls: shadow map, machine, floor, grid. Everything that changes from picture to
// picture is in one uniform block, which is uploaded as a whole. Rendering therefore allocates nothing.

import { materialIndex } from "./materials.ts";
import { floorProgram, gridProgram, machineProgram, type Program, shadowProgram } from "./shaders.ts";
import type { Triangles } from "./triangles.ts";
import type { UniformBlock } from "./uniform_block.ts";

const SHADOW_MAP = { width: 1024, height: 512 };
const UNIFORM_BINDING = 0;

/** The fixed geometry: corners of the floor, and its grid. */
export interface Ground {
  floor: Float32Array<ArrayBuffer>;
  /** x, y, z and opacity. */
  grid: Float32Array<ArrayBuffer>;
}

/** A draw call: program, vertices and their number. */
interface Step {
  program: WebGLProgram;
  corners: WebGLVertexArrayObject;
  count: number;
}

interface Steps {
  shadow: Step;
  machine: Step;
  floor: Step;
  grid: Step;
  shadowMap: WebGLFramebuffer;
}

export class Renderer {
  private readonly gl: WebGL2RenderingContext;
  private steps: Steps;

  /** restored: called when a lost graphics context has come back and everything must be drawn again. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly uniforms: UniformBlock,
    private readonly triangles: Triangles,
    private readonly ground: Ground,
    restored: () => void,
  ) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: true, powerPreference: "low-power" });
    if (gl === null) throw new Error("the browser offers no WebGL 2");
    this.gl = gl;
    this.steps = this.prepare();
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      this.steps = this.prepare();
      restored();
    });
  }

  resize(width: number, height: number): void {
    this.canvas.width = width;
    this.canvas.height = height;
  }

  render(): void {
    const { gl, canvas, steps } = this;
    gl.bufferSubData(gl.UNIFORM_BUFFER, 0, this.uniforms.data);
    gl.bindFramebuffer(gl.FRAMEBUFFER, steps.shadowMap);
    gl.viewport(0, 0, SHADOW_MAP.width, SHADOW_MAP.height);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.cullFace(gl.FRONT); // so that lit faces do not shadow themselves
    this.run(steps.shadow, gl.TRIANGLES);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.cullFace(gl.BACK);
    this.run(steps.machine, gl.TRIANGLES);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    this.run(steps.floor, gl.TRIANGLE_STRIP);
    this.run(steps.grid, gl.LINES);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  private run(step: Step, mode: number): void {
    this.gl.useProgram(step.program);
    this.gl.bindVertexArray(step.corners);
    this.gl.drawArrays(mode, 0, step.count);
  }

  private prepare(): Steps {
    const { gl, uniforms } = this;
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.bindBufferBase(gl.UNIFORM_BUFFER, UNIFORM_BINDING, gl.createBuffer());
    gl.bufferData(gl.UNIFORM_BUFFER, uniforms.data.byteLength, gl.DYNAMIC_DRAW);
    const machine = this.machineCorners();
    const count = this.triangles.owners.length / 2;
    const { floor, grid } = this.ground;
    const words = uniforms.declaration;
    return {
      shadowMap: this.makeShadowMap(), // stays bound as texture 0
      shadow: { program: this.build(shadowProgram(words)), corners: machine, count },
      machine: { program: this.build(machineProgram(words)), corners: machine, count },
      floor: {
        program: this.build(floorProgram(words, materialIndex("shadow"))),
        corners: this.plainCorners(floor, 3),
        count: floor.length / 3,
      },
      grid: {
        program: this.build(gridProgram(words, materialIndex("grid"))),
        corners: this.plainCorners(grid, 4),
        count: grid.length / 4,
      },
    };
  }

  private machineCorners(): WebGLVertexArrayObject {
    const { gl } = this;
    const { positions, normals, owners } = this.triangles;
    const corners = this.plainCorners(positions, 3);
    this.fill(normals);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 0, 0);
    this.fill(owners);
    gl.enableVertexAttribArray(2);
    gl.vertexAttribIPointer(2, 2, gl.UNSIGNED_SHORT, 0, 0);
    return corners;
  }

  /** Uploads vertices that have only a position. */
  private plainCorners(numbers: Float32Array<ArrayBuffer>, each: number): WebGLVertexArrayObject {
    const { gl } = this;
    const corners = gl.createVertexArray();
    gl.bindVertexArray(corners);
    this.fill(numbers);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, each, gl.FLOAT, false, 0, 0);
    return corners;
  }

  private fill(numbers: ArrayBufferView<ArrayBuffer>): void {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
  }

  private makeShadowMap(): WebGLFramebuffer {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_MAP.width, SHADOW_MAP.height);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    const map = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, map);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    return map;
  }

  private build({ vertex, fragment }: Program): WebGLProgram {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [type, source] of [
      [gl.VERTEX_SHADER, vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ] as const) {
      const shader = gl.createShader(type) as WebGLShader;
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      const logs = (gl.getAttachedShaders(program) ?? []).map((shader) => gl.getShaderInfoLog(shader));
      throw new Error(`a shader was refused: ${[gl.getProgramInfoLog(program), ...logs].join("\n")}`);
    }
    gl.uniformBlockBinding(program, gl.getUniformBlockIndex(program, "UniformBlock"), UNIFORM_BINDING);
    return program;
  }
}
