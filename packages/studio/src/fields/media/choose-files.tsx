import { lazyPart } from '../../design/load-part.tsx'
import { OpenedPart } from '../../design/opened-part.tsx'
import type { FileChoiceProps } from './file-choice.tsx'

const FileChoice = lazyPart(async () => (await import('./file-choice.tsx')).FileChoice)

/** The dialog that chooses files, loaded when it first opens. */
export function ChooseFiles(props: FileChoiceProps) {
  return (
    <OpenedPart>
      <FileChoice {...props} />
    </OpenedPart>
  )
}
