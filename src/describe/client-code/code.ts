import type { Uid } from '../../schema/definition.ts'

export interface CodeScope {
  mayRead(uid: Uid): boolean
  nameOf(uid: Uid): string
}

export type Member = readonly [name: string, type: string]

export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
