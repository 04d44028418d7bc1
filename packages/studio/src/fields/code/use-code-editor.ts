import { type Ref, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { loadPart } from '../../design/load-part.tsx'
import { useKeptSelection } from '../text/use-kept-selection.ts'
import type { CodeEditor, CodeEditorOptions, CodeLanguage } from './code-editor.ts'
import { untilComposed, untilInput } from './until-input.ts'
import { WaitingActions } from './waiting-actions.ts'

export interface CodeHandle {
  /**
   * Runs an action on the editor, or when its code has loaded, on the selection of this moment.
   * Returns whether it has run. For `includesTyped` see `WaitingActions`.
   */
  readonly run: (action: (editor: CodeEditor) => void, includesTyped?: boolean) => boolean
  readonly focus: () => void
}

export interface LoadedEditorProps extends Pick<CodeEditorOptions, 'onFiles' | 'onPicture'> {
  readonly language: CodeLanguage
  readonly text: string
  readonly label: string
  readonly isReadOnly: boolean
  readonly onChange: (text: string) => void
  readonly ref?: Ref<CodeHandle>
}

/** Opens the editor in `host` when its code has loaded. Until then, `plain` has the text. */
export function useCodeEditor(props: LoadedEditorProps) {
  const { language, text, label, isReadOnly } = props
  const host = useRef<HTMLDivElement>(null)
  const plain = useKeptSelection(text)
  const editor = useRef<CodeEditor | null>(null)
  const [waiting] = useState(() => new WaitingActions())
  const latest = useRef(props)
  latest.current = props
  const [isOpen, open] = useState(false)
  const [isMissing, miss] = useState(false)
  useEffect(() => {
    let isGone = false
    loadEditor(language, plain).then(
      (openCodeEditor) => {
        if (isGone || host.current === null) return
        const { current: input } = plain
        const isFocused = input !== null && input === document.activeElement
        const options = optionsOf(latest, input)
        const opened = openCodeEditor(host.current, options)
        editor.current = opened
        if (isFocused) opened.focus()
        // At once, because input into the plain text would be lost.
        flushSync(() => open(true))
        waiting.follow(options.text)
        waiting.runOn(opened)
      },
      () => miss(true),
    )
    return () => {
      isGone = true
      editor.current?.destroy()
      editor.current = null
    }
  }, [language, label, isReadOnly, plain, waiting])
  useEffect(() => {
    editor.current?.setText(text)
    waiting.follow(text)
  }, [text, waiting])
  const handle = useMemo(() => handleOf(editor, plain, waiting), [plain, waiting])
  useImperativeHandle(props.ref, () => handle, [handle])
  return { host, plain, handle, isOpen, isMissing }
}

async function loadEditor(
  language: CodeLanguage,
  plain: { readonly current: HTMLTextAreaElement | null },
) {
  await untilInput()
  const part = loadPart(async () => (await import('./code-editor.ts')).loadCodeEditor(language))
  const openCodeEditor = await part
  await untilComposed(plain.current)
  return openCodeEditor
}

function handleOf(
  editor: { readonly current: CodeEditor | null },
  plain: { readonly current: HTMLTextAreaElement | null },
  waiting: WaitingActions,
): CodeHandle {
  return {
    run: (action, includesTyped = false) => {
      const { current: opened } = editor
      if (opened === null) waiting.add(action, placeOf(plain.current), includesTyped)
      else action(opened)
      return opened !== null
    },
    focus: () => (editor.current ?? plain.current)?.focus(),
  }
}

function placeOf(input: HTMLTextAreaElement | null) {
  const { value = '', selectionStart = 0, selectionEnd = 0 } = input ?? {}
  return { text: value, selection: { anchor: selectionStart, head: selectionEnd } }
}

function optionsOf(
  latest: { readonly current: LoadedEditorProps },
  input: HTMLTextAreaElement | null,
): CodeEditorOptions {
  const { language, text, label, isReadOnly, onFiles, onPicture } = latest.current
  return {
    language,
    text: input?.value ?? text,
    ...(input !== null && { selection: placeOf(input).selection }),
    label,
    isReadOnly,
    onChange: (next) => latest.current.onChange(next),
    ...(onFiles !== undefined && {
      onFiles: (files, hold) => latest.current.onFiles?.(files, hold),
    }),
    ...(onPicture !== undefined && { onPicture: () => latest.current.onPicture?.() }),
  }
}
