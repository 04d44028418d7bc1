import type { Uid } from '../../schema/definition.ts'

/** What the writers of members are given. */
export interface CodeScope {
  mayRead(uid: Uid): boolean
  /** The name of a type that stands in the same file. */
  nameOf(uid: Uid): string
}

/** A line of an interface: `title: string | null`. */
export type Member = readonly [name: string, type: string]

/** A literal of TypeScript. */
export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
