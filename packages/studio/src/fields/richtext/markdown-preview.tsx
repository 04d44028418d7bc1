import { createElement, type ReactNode, useDeferredValue, useMemo } from 'react'
import { useSession } from '../../api/session.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './markdown-preview.module.css'
import { parseMarkdown, type PreviewElement, type PreviewNode } from './markdown-tree.ts'
import { isOwnPicture } from './own-picture.ts'

export interface MarkdownPreviewProps {
  readonly text: string
  readonly label: string
}

/** Markdown as React elements. No HTML of the text is parsed. */
export function MarkdownPreview({ text, label }: MarkdownPreviewProps) {
  const { t } = useTexts()
  const shown = useDeferredValue(text)
  const { fileOrigins } = useSession()
  const content = useMemo(() => {
    const origins = [location.origin, ...fileOrigins]
    const nameOf = (name: string): string => t('markdown.otherPicture', { name })
    return parseMarkdown(shown).map(toElementWith({ origins, nameOf, isInLink: false }))
  }, [shown, fileOrigins, t])
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

interface Pictures {
  readonly origins: readonly string[]
  readonly nameOf: (alternative: string) => string
  readonly isInLink: boolean
}

const LINK = { target: '_blank', rel: 'noreferrer' }

function toElementWith(pictures: Pictures) {
  return (node: PreviewNode, key: number): ReactNode => {
    if (typeof node === 'string') return node
    const { tag, attributes = {}, children } = node
    if (tag === 'img' && !isOwnPicture(String(attributes['src']), pictures.origins)) {
      return otherPicture(node, key, pictures)
    }
    const isInLink = pictures.isInLink || tag === 'a'
    return createElement(
      tag,
      { key, ...attributes, ...(tag === 'a' && LINK) },
      ...(children.length === 0 ? [] : [children.map(toElementWith({ ...pictures, isInLink }))]),
    )
  }
}

/** A link to the picture. Text in a link, because links cannot contain links. */
function otherPicture(
  { attributes = {} }: PreviewElement,
  key: number,
  { nameOf, isInLink }: Pictures,
): ReactNode {
  const { src = '', alt = '' } = attributes
  const name = nameOf(String(alt === '' ? src : alt))
  return isInLink ? name : createElement('a', { key, href: src, ...LINK }, name)
}
