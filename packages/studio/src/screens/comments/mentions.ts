import type { Person } from '../../api/entries.ts'

const MAX_OFFERED = 6

export interface Mention {
  /** The index of the `@`. */
  readonly at: number
  readonly offered: readonly Person[]
}

/** The typed name in front of the caret, with matching people. */
export function mentionAt(text: string, caret: number, people: readonly Person[]): Mention | null {
  const [typed = ''] = /(?<![^\s(])@[^\s@]{0,40}$/.exec(text.slice(0, caret)) ?? []
  if (typed === '') return null
  const wanted = typed.slice(1).toLowerCase()
  const offered = people
    .filter(({ name }) =>
      name
        .toLowerCase()
        .split(' ')
        .some((word) => word.startsWith(wanted)),
    )
    .slice(0, MAX_OFFERED)
  return offered.length === 0 ? null : { at: caret - typed.length, offered }
}

/** Replaces the typed part of the name. */
export function withMention(
  text: string,
  caret: number,
  { at, person }: { readonly at: number; readonly person: Person },
): { readonly text: string; readonly caret: number } {
  const before = `${text.slice(0, at)}@${person.name} `
  const after = text.slice(caret)
  return { text: before + (after.startsWith(' ') ? after.slice(1) : after), caret: before.length }
}

/** Chosen people, as long as the text still contains their names. */
export function mentionedIn(text: string, chosen: readonly Person[]): readonly string[] {
  return [...new Set(chosen.filter(({ name }) => text.includes(`@${name}`)).map(({ id }) => id))]
}

/** The text in parts. Each second part is a mention. */
export function partsOf(text: string, mentions: readonly Person[]): readonly string[] {
  const names = mentions
    .map(({ name }) => name)
    .filter((name) => name !== '')
    .toSorted((one, other) => other.length - one.length)
    .map((name) => `@${name}`.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return names.length === 0 ? [text] : text.split(new RegExp(`(${names.join('|')})`))
}
