import type { Row } from './table.ts'

const sample = (attribute: string, value: unknown): object => ({
  data: { label: 'x', [attribute]: value },
})

/** A value that a sample accepts, and the value in the response. Both are equal by default. */
export const kept = (attribute: string, value: unknown, answer: unknown = value): Row => [
  `POST /samples → ${attribute}`,
  sample(attribute, value),
  answer,
]

/** A value that a sample refuses with this sentence, at this path. */
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

/**
 * For dates and times, which fail without a list of errors. Our message names the attribute
 * (difference 13).
 */
export const unreadable = (attribute: string, value: unknown, sentence: string): Row => [
  'POST /samples',
  sample(attribute, value),
  `400 ValidationError: ${attribute}: ${sentence}`,
]

/**
 * A value of a sample, and the expected value of another part of the response, such as `one.label`.
 */
export const shows = (shown: string, attribute: string, value: unknown, answer: unknown): Row => [
  `POST /samples?populate=${attribute} → ${shown}`,
  sample(attribute, value),
  answer,
]

function escape(text: string): string {
  return text.replaceAll(/[.+?^${}()|[\]\\*]/g, '\\$&')
}
