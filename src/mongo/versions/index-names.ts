/** The prefix of our indexes. Any other index on a content collection is foreign. */
export const INDEX_PREFIX = 'quire_'
const UNIQUE_PREFIX = `${INDEX_PREFIX}unique_`
/** Separates the name from a generation number. */
const GENERATION = '~'
/** Stands for `~` in the stored name of an attribute (`title~2`). */
const REPEATED = ':'

export function uniqueIndexName(stored: string): string {
  return indexName(`unique_${stored}`)
}

export function indexName(text: string): string {
  return `${INDEX_PREFIX}${text.replaceAll(GENERATION, REPEATED)}`
}

/** The stored name of the attribute that the index keeps unique. */
export function uniqueAttributeOf(indexName: string): string | null {
  const name = planNameOf(indexName)
  if (name?.startsWith(UNIQUE_PREFIX) !== true) return null
  return name.slice(UNIQUE_PREFIX.length).replaceAll(REPEATED, GENERATION)
}

export function planNameOf(indexName: string): string | null {
  if (!indexName.startsWith(INDEX_PREFIX)) return null
  const [planName = ''] = indexName.split(GENERATION)
  return planName
}

export function freeIndexName(planName: string, taken: ReadonlySet<string>): string {
  let name = planName
  for (let generation = 2; taken.has(name); generation += 1) {
    name = `${planName}${GENERATION}${generation}`
  }
  return name
}
