import { createContext, use } from 'react'
import type { FormValues } from '../../entry/values.ts'

/** Another language of the entry, shown next to its fields. */
export interface Beside {
  readonly language: string
  readonly values: FormValues
  /** When an attribute was changed in the other language, if that is later than its last change here. */
  readonly changedAt: (name: string) => string | undefined
  readonly mayCopy: (name: string) => boolean
  readonly copy: (name: string) => void
}

export const BesideContext = createContext<Beside | null>(null)

export function useBeside(): Beside | null {
  return use(BesideContext)
}
