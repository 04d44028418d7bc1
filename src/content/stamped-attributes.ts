/** Attributes that any role sets by the `set` of a rule (`stampName`). */
export interface StampedAttributes {
  current(): Promise<ReadonlySet<string>>
  /** The permissions open after the documents. */
  readFrom(source: () => Promise<ReadonlySet<string>>): void
}

export function openStampedAttributes(): StampedAttributes {
  let source: () => Promise<ReadonlySet<string>> = () => Promise.resolve(new Set())
  return {
    current: () => source(),
    readFrom: (given) => {
      source = given
    },
  }
}
