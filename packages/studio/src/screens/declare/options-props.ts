import type { DeclaredFile } from '../../api/declarations.ts'
import type { Draft, DraftAttribute } from './draft.ts'

/** What the inputs of an attribute's options are given. */
export interface OptionsProps {
  readonly draft: Draft
  readonly files: readonly DeclaredFile[]
  readonly attribute: DraftAttribute
  readonly onChange: (attribute: DraftAttribute) => void
}
