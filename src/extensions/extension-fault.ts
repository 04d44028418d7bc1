import { didYouMean } from '../base/near-miss.ts'

export interface ExtensionFault {
  readonly path: string
  readonly problem: string
}

/** `path` ends with the unknown member. */
export function unknownMember(path: string, key: string, known: readonly string[]): ExtensionFault {
  return { path, problem: `unknown${didYouMean(key, known) || `; known are ${known.join(', ')}`}` }
}
