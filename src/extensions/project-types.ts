// `quire types` writes declarations that extend these interfaces. They are exported with `export *`, because TypeScript
// extends only interfaces that are exported in this way.

/** The entry and the payload of each content-type, by uid. */
// eslint-disable-next-line typescript/no-empty-interface
export interface ProjectTypes {}

/** The content service of each content-type. */
// eslint-disable-next-line typescript/no-empty-interface
export interface ProjectContent {}
