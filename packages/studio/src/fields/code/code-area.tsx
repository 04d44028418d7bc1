import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { loadPart } from '../../design/load-part.tsx'
import { NotLoadedNotice } from '../../design/not-loaded.tsx'
import styles from './code-area.module.css'
import type { CodeEditor, CodeEditorOptions, CodeLanguage } from './code-editor.ts'
import { PlainText } from './plain-text.tsx'
import { useKeptSelection } from '../text/use-kept-selection.ts'
import { untilComposed, untilInput } from './until-input.ts'

export interface CodeAreaProps {
  readonly language: CodeLanguage
  readonly text: string
  readonly label: string
  readonly isInvalid: boolean
  readonly isReadOnly: boolean
  readonly onChange: (text: string) => void
  /** The parent draws the frame. */
  readonly isWithin?: boolean
  /** Receives the editor when it has loaded, and null when it closes. */
  readonly onOpen?: (editor: CodeEditor | null) => void
  readonly onFiles?: CodeEditorOptions['onFiles']
  readonly onPicture?: CodeEditorOptions['onPicture']
}

/** A code editor, loaded at the first input of the user. Until then, plain text takes input. */
export function CodeArea(props: CodeAreaProps) {
  const { language, text, label, isInvalid, isReadOnly } = props
  const host = useRef<HTMLDivElement>(null)
  const plain = useKeptSelection(text)
  const waiting = useRef<readonly File[]>([])
  const editor = useRef<CodeEditor | null>(null)
  const latest = useRef(props)
  latest.current = props
  const [isOpen, open] = useState(false)
  const [isMissing, miss] = useState(false)
  useEffect(() => {
    let isGone = false
    const load = async () => {
      await untilInput()
      const part = loadPart(async () => (await import('./code-editor.ts')).loadCodeEditor(language))
      const openCodeEditor = await part
      await untilComposed(plain.current)
      return openCodeEditor
    }
    load().then(
      (openCodeEditor) => {
        if (isGone || host.current === null) return
        const { current: input } = plain
        const isFocused = input !== null && input === document.activeElement
        editor.current = openCodeEditor(host.current, {
          language,
          text: input?.value ?? latest.current.text,
          ...(input !== null && {
            selection: { anchor: input.selectionStart, head: input.selectionEnd },
          }),
          label,
          isReadOnly,
          onChange: (next) => latest.current.onChange(next),
          ...(latest.current.onFiles !== undefined && {
            onFiles: (files, hold) => latest.current.onFiles?.(files, hold),
          }),
          ...(latest.current.onPicture !== undefined && {
            onPicture: () => latest.current.onPicture?.(),
          }),
        })
        latest.current.onOpen?.(editor.current)
        if (isFocused) editor.current.focus()
        // At once, because input into the plain text would be lost.
        flushSync(() => open(true))
        const { hold } = editor.current
        if (waiting.current.length > 0) latest.current.onFiles?.(waiting.current, hold)
        waiting.current = []
      },
      () => miss(true),
    )
    return () => {
      isGone = true
      editor.current?.destroy()
      editor.current = null
      latest.current.onOpen?.(null)
    }
  }, [language, label, isReadOnly, plain])
  useEffect(() => {
    editor.current?.setText(text)
  }, [text])
  const frame =
    props.isWithin === true ? '' : `${styles['framed']} ${isInvalid ? styles['invalid'] : ''}`
  return (
    <div
      className={`${styles['area']} ${styles[language]} ${frame}`}
      onMouseDown={(event) => {
        if (event.target === event.currentTarget) editor.current?.focus()
      }}
    >
      {!isOpen && (
        <PlainText
          input={plain}
          {...{ text, label, isReadOnly }}
          onChange={props.onChange}
          onFiles={
            props.onFiles &&
            ((files) => {
              waiting.current = [...waiting.current, ...files]
            })
          }
        />
      )}
      {isMissing && <NotLoadedNotice isWithin />}
      <div ref={host} data-code={language} data-open={isOpen || undefined} />
    </div>
  )
}
