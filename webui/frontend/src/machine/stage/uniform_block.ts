// Keeps all numbers that change from picture to picture in one array with the layout of a uniform block (std140).

export class UniformBlock {
  readonly data: Float32Array<ArrayBuffer>;
  /** Matrices that project the world to the view and to the shadow map. */
  readonly toPicture: Float32Array;
  readonly toShadow: Float32Array;
  /** Position of the camera; directions of the lights. */
  readonly eye: Float32Array;
  readonly key: Float32Array;
  readonly rim: Float32Array;
  /** For each slot: its matrix, and the light that it emits. */
  readonly transforms: Float32Array;
  readonly glows: Float32Array;
  /** For each material: its linear colour, and the colour and narrowness of its gloss. */
  readonly colors: Float32Array;
  readonly glosses: Float32Array;

  constructor(
    readonly slotCount: number,
    readonly materialCount: number,
  ) {
    const sizes = [16, 16, 4, 4, 4, 16 * slotCount, 4 * slotCount, 4 * materialCount, 4 * materialCount];
    this.data = new Float32Array(sizes.reduce((sum, size) => sum + size));
    let start = 0;
    const take = () => {
      const from = start;
      start += sizes.shift() as number;
      return this.data.subarray(from, start);
    };
    this.toPicture = take();
    this.toShadow = take();
    this.eye = take();
    this.key = take();
    this.rim = take();
    this.transforms = take();
    this.glows = take();
    this.colors = take();
    this.glosses = take();
  }

  /** The declaration of the block for the shaders. */
  get declaration(): string {
    return `layout(std140) uniform UniformBlock {
  mat4 toPicture;
  mat4 toShadow;
  vec4 eye;
  vec4 key;
  vec4 rim;
  mat4 transforms[${this.slotCount}];
  vec4 glows[${this.slotCount}];
  vec4 colors[${this.materialCount}];
  vec4 glosses[${this.materialCount}];
};`;
  }
}
