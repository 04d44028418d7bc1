const TONES = 4

/** A colour of `tokens.css` for a person, from 1 to 4: the same one wherever the person appears. */
export function personTone(id: string): number {
  let sum = 0
  for (const letter of id) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521
  return (sum % TONES) + 1
}
