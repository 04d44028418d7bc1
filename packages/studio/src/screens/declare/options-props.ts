import type { DeclaredFile } from '../../api/declarations.ts'
import type { Draft, DraftAttribute } from './draft.ts'

export interface OptionsProps {
  readonly draft: Draft
  readonly files: readonly DeclaredFile[]
  readonly attribute: DraftAttribute
  readonly onChange: (attribute: DraftAttribute) => void
}
