import { type RefObject, Suspense, useRef, useState } from 'react'
import { lazyPart } from '../../design/load-part.tsx'
import { LoadBoundary } from '../../design/not-loaded.tsx'
import { notifyFailure } from '../../design/toasts.tsx'
import type { FileValue } from '../../entry/values.ts'
import { useTexts } from '../../texts/texts.ts'
import { CodeArea } from '../code/code-area.tsx'
import type { CodeEditor } from '../code/code-editor.ts'
import type { MarkdownTool } from '../code/markdown-commands.ts'
import { pictureMarkdown } from '../code/picture-markdown.ts'
import type { CodeHandle } from '../code/use-code-editor.ts'
import { isOfKind } from '../media/file-kinds.ts'
import { UploadRow } from '../media/upload-row.tsx'
import { useUploads } from '../media/use-uploads.ts'
import toolbar from '../editor/toolbar.module.css'
import styles from './markdown-area.module.css'
import { MarkdownTools } from './markdown-tools.tsx'

const MarkdownPreview = lazyPart(
  async () => (await import('./markdown-preview.tsx')).MarkdownPreview,
)

export interface MarkdownAreaProps {
  readonly text: string
  readonly label: string
  readonly isInvalid: boolean
  readonly isReadOnly: boolean
  readonly onChange: (text: string) => void
}

/** A Markdown editor with tools and a preview, next to the text or, on a narrow screen, instead. */
export function MarkdownArea({ text, label, isInvalid, isReadOnly, onChange }: MarkdownAreaProps) {
  const { t } = useTexts()
  const code = useRef<CodeHandle>(null)
  const { waitingTools, press } = useTools(code)
  const [isChoosing, choose] = useState(false)
  const [isPreviewing, preview] = useState(false)
  const { uploads, drop, take } = usePictures(code)
  const insert = ({ url, alternativeText }: FileValue): void => {
    const text = pictureMarkdown(url, alternativeText)
    code.current?.focus()
    code.current?.run((editor) => editor.insert(editor.hold(), text))
  }
  const toggle = (
    <button
      type="button"
      className={`${toolbar['tool']} ${toolbar['word']} ${styles['toggle']}`}
      aria-pressed={isPreviewing}
      onClick={() => preview(!isPreviewing)}
    >
      {t('markdown.preview')}
    </button>
  )
  return (
    <div className={`${styles['area']} ${isInvalid ? styles['invalid'] : ''}`}>
      {isReadOnly ? (
        <div className={toolbar['bar']}>{toggle}</div>
      ) : (
        <MarkdownTools
          {...{ isChoosing, waitingTools }}
          onChoose={choose}
          onTool={press}
          onChosen={insert}
          onUpload={(files) => code.current?.run(({ hold }) => take(files, hold))}
        >
          {toggle}
        </MarkdownTools>
      )}
      <div className={styles['panes']} data-previewing={isPreviewing || undefined}>
        <CodeArea
          ref={code}
          language="markdown"
          isWithin
          {...{ text, label, isInvalid, isReadOnly, onChange }}
          onFiles={take}
          onPicture={() => choose(true)}
        />
        {isPreviewing && (
          <LoadBoundary>
            <Suspense>
              <MarkdownPreview {...{ text, label }} />
            </Suspense>
          </LoadBoundary>
        )}
      </div>
      {uploads.map((upload) => (
        <UploadRow key={upload.id} upload={upload} onDrop={() => drop(upload.id)} />
      ))}
    </div>
  )
}

/** Tools that apply to the word that is typed after their press. */
const INLINE_TOOLS: readonly MarkdownTool[] = ['bold', 'italic', 'code', 'link']

/** A tool that is pressed before the editor has loaded waits for it. */
function useTools(code: RefObject<CodeHandle | null>) {
  const [waitingTools, setWaiting] = useState<readonly MarkdownTool[]>([])
  const press = (tool: MarkdownTool): void => {
    const apply = (editor: CodeEditor): void => {
      editor.apply(tool)
      setWaiting((tools) => tools.filter((one) => one !== tool))
    }
    code.current?.focus()
    const isDone = code.current?.run(apply, INLINE_TOOLS.includes(tool)) ?? true
    if (!isDone) setWaiting((tools) => [...tools, tool])
  }
  return { waitingTools, press }
}

/** Uploads pictures and inserts each one at its position, which follows later changes. */
function usePictures(code: RefObject<CodeHandle | null>) {
  const { t } = useTexts()
  const places = useRef(new Map<number, number>())
  const { uploads, start, drop } = useUploads(({ url, alternativeText }, id) => {
    const place = places.current.get(id)
    if (place === undefined) return
    code.current?.run((editor) => editor.insert(place, pictureMarkdown(url, alternativeText)))
  })
  const take = (files: readonly File[], hold: () => number): void => {
    const pictures = files.filter(({ type }) => isOfKind(type, ['images']))
    if (pictures.length < files.length) notifyFailure(t('media.wrongKind'))
    for (const id of start(pictures)) places.current.set(id, hold())
  }
  return { uploads, drop, take }
}
