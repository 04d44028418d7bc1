import { NotLoadedNotice } from '../../design/not-loaded.tsx'
import styles from './code-area.module.css'
import { PlainText } from './plain-text.tsx'
import { type LoadedEditorProps, useCodeEditor } from './use-code-editor.ts'

export interface CodeAreaProps extends LoadedEditorProps {
  readonly isInvalid: boolean
  /** The parent draws the frame. */
  readonly isWithin?: boolean
}

/** A code editor, loaded at the first input of the user. Until then, plain text takes input. */
export function CodeArea(props: CodeAreaProps) {
  const { language, text, label, isInvalid, isReadOnly, onFiles } = props
  const { host, plain, handle, isOpen, isMissing } = useCodeEditor(props)
  const frame =
    props.isWithin === true ? '' : `${styles['framed']} ${isInvalid ? styles['invalid'] : ''}`
  return (
    <div
      className={`${styles['area']} ${styles[language]} ${frame}`}
      onMouseDown={(event) => {
        if (isOpen && event.target === event.currentTarget) handle.focus()
      }}
    >
      {!isOpen && (
        <PlainText
          input={plain}
          {...{ text, label, isReadOnly }}
          onChange={props.onChange}
          onFiles={onFiles && ((files) => handle.run(({ hold }) => onFiles(files, hold)))}
        />
      )}
      {isMissing && <NotLoadedNotice isWithin />}
      <div ref={host} data-code={language} data-open={isOpen || undefined} />
    </div>
  )
}
