import type { DragEvent, RefObject } from 'react'
import { picturesIn } from '../media/pictures-in.ts'
import styles from './code-area.module.css'

interface PlainTextProps {
  readonly text: string
  readonly label: string
  readonly isReadOnly: boolean
  readonly onChange: (text: string) => void
  readonly input: RefObject<HTMLTextAreaElement | null>
  /** Receives pasted and dropped files. Absent if the text takes none. */
  readonly onFiles: ((files: readonly File[]) => void) | undefined
}

/** Takes the place of a code editor until its code has loaded, and takes input, so that none is lost. */
export function PlainText({ input, text, onFiles, ...props }: PlainTextProps) {
  const { label, isReadOnly, onChange } = props
  const take = (data: DataTransfer, event: { preventDefault: () => void }): void => {
    const files = isReadOnly ? [] : picturesIn(data)
    if (files.length === 0 || onFiles === undefined) return
    event.preventDefault()
    onFiles(files)
  }
  return (
    // The text sets the height, because a `textarea` has a fixed one.
    <div className={styles['plain']} data-text={`${text}\n`}>
      <textarea
        ref={input}
        aria-label={label}
        readOnly={isReadOnly}
        value={text}
        onChange={({ target }) => onChange(target.value)}
        onCompositionStart={({ currentTarget }) => (currentTarget.dataset['composing'] = '')}
        onCompositionEnd={({ currentTarget }) => delete currentTarget.dataset['composing']}
        onPaste={(event) => take(event.clipboardData, event)}
        onDragOver={(event) => acceptFiles(event)}
        onDrop={(event) => take(event.dataTransfer, event)}
      />
    </div>
  )
}

/** Otherwise, browsers show a dropped file instead of the page. */
function acceptFiles(event: DragEvent): void {
  if (event.dataTransfer.types.includes('Files')) event.preventDefault()
}
