import type { EntryPlace } from './query-context.ts'

interface BlocksNode {
  readonly text?: string
  readonly image?: { readonly alternativeText?: string | null } | null
  readonly children?: readonly BlocksNode[]
}

/** Of blocks, as the server reads it. The parts of a paragraph may split a word. */
const textOf = (value: unknown): string =>
  Array.isArray(value) ? textOfNodes(value) : ((value ?? '') as string)

const textOfNodes = (nodes: readonly BlocksNode[]): string =>
  nodes
    .map(({ text, image, children }) => {
      const alternative = image?.alternativeText ? `${image.alternativeText} ` : ''
      return text ?? alternative + textOfNodes(children ?? [])
    })
    .join(nodes.some(({ text }) => text !== undefined) ? '' : ' ')

/** Lower case without accents, with a space before each word. Hermes has no `\p{P}`. */
const foldText = (value: unknown): string =>
  ` ${textOf(value)}`
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[\s!-/:-@[-`{-~¡-¿\u2000-\u206f\u3000-\u303f]+/g, ' ')

/** Equal scores keep their order. An empty text is in all entries. */
export function rankPlaces(places: readonly EntryPlace[], query: string): readonly EntryPlace[] {
  const words = foldText(query).trim().split(' ')
  const scoreOf = ({ shape, data }: EntryPlace): number => {
    let score = 0
    for (const [name, weight] of Object.entries(shape.search ?? {})) {
      const text = foldText(data[name])
      for (const word of words) {
        if (text.includes(word)) score += text.includes(` ${word}`) ? 2 * weight : weight
      }
    }
    return score
  }
  return places
    .map((place) => ({ place, score: scoreOf(place) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ place }) => place)
}
