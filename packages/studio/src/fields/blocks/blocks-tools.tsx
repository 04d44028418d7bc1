import { type FormEvent, useState } from 'react'
import { Toolbar } from 'react-aria-components'
import { Button } from '../../design/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import { FileChoice } from '../media/file-choice.tsx'
import styles from './blocks-tools.module.css'
import { type Editor, toggleListIn } from './open-blocks-editor.ts'

const LOOKS = [
  { mark: 'bold', sign: 'B' },
  { mark: 'italic', sign: 'I' },
  { mark: 'underline', sign: 'U' },
  { mark: 'strikethrough', sign: 'S' },
  { mark: 'code', sign: '<>' },
] as const

const LEVELS = ['1', '2', '3', '4', '5', '6'] as const

export interface BlocksToolsProps {
  readonly editor: Editor
  readonly isLinking: boolean
  readonly onLink: (isLinking: boolean) => void
}

/**
 * The toolbar: one tab stop, arrow keys move within it. Every tool has a keyboard shortcut, too.
 */
export function BlocksTools({ editor, isLinking, onLink: link }: BlocksToolsProps) {
  const { t } = useTexts()
  const [isChoosing, choose] = useState(false)
  return (
    <div className={styles['tools']}>
      <Toolbar className={styles['bar'] ?? ''} aria-label={t('blocks.tools')}>
        <BlockKind editor={editor} />
        {LOOKS.map(({ mark, sign }) => (
          <button
            key={mark}
            type="button"
            className={`${styles['tool']} ${styles[mark]}`}
            aria-label={t(`blocks.${mark}`)}
            aria-pressed={editor.isActive(mark)}
            title={t(`blocks.${mark}`)}
            onClick={() => editor.chain().focus().toggleMark(mark).run()}
          >
            <span className={styles['sign']} data-sign={sign} />
          </button>
        ))}
        <button
          type="button"
          className={styles['tool']}
          aria-pressed={editor.isActive('link')}
          aria-expanded={isLinking}
          onClick={() => link(!isLinking)}
        >
          {t('blocks.link')}
        </button>
        <ListTool editor={editor} format="unordered" sign="•" />
        <ListTool editor={editor} format="ordered" sign="1." />
        <button type="button" className={styles['tool']} onClick={() => choose(true)}>
          {t('blocks.image')}
        </button>
      </Toolbar>
      {isLinking && <LinkForm editor={editor} onDone={() => link(false)} />}
      {isChoosing && (
        <FileChoice
          kinds={['images']}
          isPrivate={false}
          isMultiple={false}
          onClose={() => choose(false)}
          onChosen={([image]) => {
            if (image !== undefined) {
              editor.chain().focus().insertContent({ type: 'image', attrs: { image } }).run()
            }
          }}
        />
      )}
    </div>
  )
}

function BlockKind({ editor }: { readonly editor: Editor }) {
  const { t } = useTexts()
  const level = LEVELS.find((one) => editor.isActive('heading', { level: Number(one) }))
  const plain = (['blockquote', 'codeBlock', 'list'] as const).find((name) => editor.isActive(name))
  const set = (kind: string): void => {
    const chain = editor.chain().focus()
    if (kind.startsWith('heading'))
      chain.setNode('heading', { level: Number(kind.slice(-1)) }).run()
    else chain.setNode(kind).run()
  }
  return (
    <select
      className={styles['kind']}
      aria-label={t('blocks.kind')}
      value={level === undefined ? (plain ?? 'paragraph') : `heading${level}`}
      onChange={({ target }) => set(target.value)}
    >
      <option value="paragraph">{t('blocks.paragraph')}</option>
      {LEVELS.map((one) => (
        <option key={one} value={`heading${one}`}>
          {t('blocks.heading', { level: one })}
        </option>
      ))}
      <option value="blockquote">{t('blocks.quote')}</option>
      <option value="codeBlock">{t('blocks.codeBlock')}</option>
      {plain === 'list' && <option value="list">{t('blocks.list')}</option>}
    </select>
  )
}

interface ListToolProps {
  readonly editor: Editor
  readonly format: 'ordered' | 'unordered'
  readonly sign: string
}

function ListTool({ editor, format, sign }: ListToolProps) {
  const { t } = useTexts()
  return (
    <button
      type="button"
      className={styles['tool']}
      aria-label={t(`blocks.${format}`)}
      aria-pressed={editor.isActive('list', { format })}
      title={t(`blocks.${format}`)}
      onClick={() => toggleListIn(editor, format)}
    >
      <span className={styles['sign']} data-sign={sign} />
    </button>
  )
}

function LinkForm({ editor, onDone }: { readonly editor: Editor; readonly onDone: () => void }) {
  const { t } = useTexts()
  const [url, setUrl] = useState(() => String(editor.getAttributes('link')['url'] ?? ''))
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const chain = editor.chain().focus().extendMarkRange('link')
    if (url.trim() === '') chain.unsetMark('link').run()
    else if (editor.state.selection.empty && !editor.isActive('link')) {
      const text = {
        type: 'text',
        text: url.trim(),
        marks: [{ type: 'link', attrs: { url: url.trim() } }],
      }
      chain.insertContent(text).run()
    } else chain.setMark('link', { url: url.trim() }).run()
    onDone()
  }
  return (
    <form className={styles['link']} onSubmit={submit}>
      <input
        autoFocus
        className={styles['url']}
        aria-label={t('blocks.url')}
        placeholder="https://"
        value={url}
        onChange={({ target }) => setUrl(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          onDone()
          editor.commands.focus()
        }}
      />
      <Button small type="submit">
        {t(url.trim() === '' ? 'blocks.unlink' : 'blocks.setLink')}
      </Button>
    </form>
  )
}
