import type { Row } from './table.ts'

const sample = (attribute: string, value: unknown): object => ({
  data: { label: 'x', [attribute]: value },
})

/** A value that a sample takes, and what it answers with: the same unless said. */
export const kept = (attribute: string, value: unknown, answer: unknown = value): Row => [
  `POST /samples → ${attribute}`,
  sample(attribute, value),
  answer,
]

/** A value that a sample refuses by this sentence, at this path. */
export const refused = (
  attribute: string,
  value: unknown,
  sentence: string,
  path = attribute,
): Row => [
  'POST /samples',
  sample(attribute, value),
  new RegExp(`^400 ValidationError: ${escape(sentence)} \\[${escape(path)}\\]$`),
]

/** Of dates and times, which fail without a list of errors; ours says which attribute (difference 13). */
export const unreadable = (attribute: string, value: unknown, sentence: string): Row => [
  'POST /samples',
  sample(attribute, value),
  `400 ValidationError: ${attribute}: ${sentence}`,
]

/** One attribute of a sample that is answered with another of its parts, such as `one.label`. */
export const shows = (shown: string, attribute: string, value: unknown, answer: unknown): Row => [
  `POST /samples?populate=${attribute} → ${shown}`,
  sample(attribute, value),
  answer,
]

function escape(text: string): string {
  return text.replaceAll(/[.+?^${}()|[\]\\*]/g, '\\$&')
}
