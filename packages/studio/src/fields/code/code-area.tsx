import { useEffect, useRef, useState } from 'react'
import { loadPart } from '../../design/load-part.tsx'
import { NotLoadedNotice } from '../../design/not-loaded.tsx'
import styles from './code-area.module.css'
import type { CodeEditor, CodeLanguage } from './code-editor.ts'

export interface CodeAreaProps {
  readonly language: CodeLanguage
  readonly text: string
  readonly label: string
  readonly isInvalid: boolean
  readonly isReadOnly: boolean
  readonly onChange: (text: string) => void
}

/** A code editor, loaded when the first one renders. Shows plain text until then. */
export function CodeArea({
  language,
  text,
  label,
  isInvalid,
  isReadOnly,
  onChange,
}: CodeAreaProps) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditor | null>(null)
  const change = useRef(onChange)
  change.current = onChange
  const first = useRef(text)
  const [isOpen, open] = useState(false)
  const [isMissing, miss] = useState(false)
  useEffect(() => {
    let isGone = false
    loadPart(() => import('./code-editor.ts')).then(
      ({ openCodeEditor }) => {
        if (isGone || host.current === null) return
        editor.current = openCodeEditor(host.current, {
          language,
          text: first.current,
          label,
          isReadOnly,
          onChange: (next) => change.current(next),
        })
        open(true)
      },
      () => miss(true),
    )
    return () => {
      isGone = true
      editor.current?.destroy()
      editor.current = null
    }
  }, [language, label, isReadOnly])
  useEffect(() => {
    first.current = text
    editor.current?.setText(text)
  }, [text])
  return (
    <div
      className={`${styles['area']} ${styles[language]} ${isInvalid ? styles['invalid'] : ''}`}
      onMouseDown={(event) => {
        if (event.target === event.currentTarget) editor.current?.focus()
      }}
    >
      {!isOpen && <pre className={styles['plain']}>{text}</pre>}
      {isMissing && <NotLoadedNotice isWithin />}
      <div ref={host} data-code={language} data-open={isOpen || undefined} />
    </div>
  )
}
