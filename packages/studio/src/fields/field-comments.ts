import { createContext } from 'react'

export interface FieldComments {
  /** The open comments of each attribute that has some. */
  readonly counts: ReadonlyMap<string, number>
  readonly begin: (attribute: string) => void
}

/** Null if the entry has no comments, such as a new one. */
export const FieldCommentsContext = createContext<FieldComments | null>(null)
