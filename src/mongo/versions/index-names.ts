/** The prefix of our indexes; any other index on a content collection is foreign. */
export const INDEX_PREFIX = 'quire_'
const UNIQUE_PREFIX = `${INDEX_PREFIX}unique_`
/** No attribute has it in its name. The part behind it distinguishes an index from its predecessor. */
const GENERATION = '~'

export function uniqueIndexName(attribute: string): string {
  return `${UNIQUE_PREFIX}${attribute}`
}

/** The attribute that an index of this name holds unique; null for any other index. */
export function uniqueAttributeOf(indexName: string): string | null {
  const name = planNameOf(indexName)
  return name?.startsWith(UNIQUE_PREFIX) === true ? name.slice(UNIQUE_PREFIX.length) : null
}

/** The name of the plan that an index was built by; null for an index that is none of ours. */
export function planNameOf(indexName: string): string | null {
  if (!indexName.startsWith(INDEX_PREFIX)) return null
  const [planName = ''] = indexName.split(GENERATION)
  return planName
}

/** A name for an index of this plan that no index has yet. */
export function freeIndexName(planName: string, taken: ReadonlySet<string>): string {
  let name = planName
  for (let generation = 2; taken.has(name); generation += 1) {
    name = `${planName}${GENERATION}${generation}`
  }
  return name
}
