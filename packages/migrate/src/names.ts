import { nameProblem, RESERVED_ROUTES } from '@quire/schema/names'

export interface TypeNames {
  readonly singular: string
  readonly plural: string
}

/** `blogPost` becomes `blog-post`. A taken or reserved name gets the origin as a prefix. */
export function typeNamer(origin: string): (name: string) => TypeNames {
  const taken = new Set<string>()
  const isFree = ({ singular, plural }: TypeNames): boolean =>
    ![singular, plural].some((name) => taken.has(name) || RESERVED_ROUTES.has(name))
  return (name) => {
    const word = kebab(name)
    const first = /^[a-z]/.test(word) ? word : `${origin}-${word}`
    let names = namesOf(first)
    for (let count = 1; !isFree(names); count += 1) {
      names = namesOf(count === 1 ? `${origin}-${first}` : `${origin}-${first}-${count}`)
    }
    taken.add(names.singular).add(names.plural)
    return names
  }
}

export function attributeNamer(origin: string, taken: Iterable<string>): (name: string) => string {
  const names = new Set(taken)
  return (name) => {
    const word = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40)
    const isFree = (one: string): boolean =>
      nameProblem(one, 'contentType') === null && !names.has(one)
    let free = isFree(word) ? word : `${origin}_${word}`
    for (let count = 2; !isFree(free); count += 1) free = `${origin}_${word}_${count}`
    names.add(free)
    return free
  }
}

function namesOf(singular: string): TypeNames {
  return { singular, plural: pluralOf(singular) }
}

/** Assumes English words. A word that is already a plural gets another plural. */
function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}

function kebab(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
}
