import { createElement, type ReactNode, useDeferredValue, useMemo } from 'react'
import { useTexts } from '../../texts/texts.ts'
import styles from './markdown-preview.module.css'
import { parseMarkdown, type PreviewNode } from './markdown-tree.ts'

export interface MarkdownPreviewProps {
  readonly text: string
  readonly label: string
}

/** Markdown as React elements. No HTML of the text is parsed. */
export function MarkdownPreview({ text, label }: MarkdownPreviewProps) {
  const { t } = useTexts()
  const shown = useDeferredValue(text)
  const content = useMemo(() => parseMarkdown(shown).map(toElement), [shown])
  return (
    // The region scrolls, so it is a tab stop.
    <div
      role="region"
      tabIndex={0}
      className={styles['preview']}
      aria-label={t('markdown.previewOf', { name: label })}
      data-preview
    >
      {content.length === 0 ? <p className={styles['none']}>{t('markdown.empty')}</p> : content}
    </div>
  )
}

function toElement(node: PreviewNode, key: number): ReactNode {
  if (typeof node === 'string') return node
  const { tag, attributes = {}, children } = node
  const more = tag === 'a' ? { target: '_blank', rel: 'noreferrer' } : {}
  return createElement(
    tag,
    { key, ...attributes, ...more },
    ...(children.length === 0 ? [] : [children.map(toElement)]),
  )
}
