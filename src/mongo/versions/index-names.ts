/** The prefix of our indexes. Any other index on a content collection is foreign. */
export const INDEX_PREFIX = 'quire_'
const UNIQUE_PREFIX = `${INDEX_PREFIX}unique_`
/** Separates the name from a generation number. Attribute names never contain it. */
const GENERATION = '~'

export function uniqueIndexName(attribute: string): string {
  return `${UNIQUE_PREFIX}${attribute}`
}

export function uniqueAttributeOf(indexName: string): string | null {
  const name = planNameOf(indexName)
  return name?.startsWith(UNIQUE_PREFIX) === true ? name.slice(UNIQUE_PREFIX.length) : null
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
