import { Mark, markInputRule, type MarkConfig } from '@tiptap/core'
import { type EntryTarget, entryTargetOf } from '../../entry/entry-target.ts'

interface Look {
  readonly name: string
  readonly tag: string
  readonly alike: readonly string[]
  readonly key: string
  /** The characters that, typed around a text, apply the mark. */
  readonly typed?: RegExp
}

const LOOKS: readonly Look[] = [
  {
    name: 'bold',
    tag: 'strong',
    alike: ['b'],
    key: 'Mod-b',
    typed: /(?:^|\s)(\*\*(?!\s)([^*]+)\*\*)$/,
  },
  { name: 'italic', tag: 'em', alike: ['i'], key: 'Mod-i', typed: /(?:^|\s)(_(?!\s)([^_]+)_)$/ },
  { name: 'underline', tag: 'u', alike: [], key: 'Mod-u' },
  { name: 'strikethrough', tag: 's', alike: ['del', 'strike'], key: 'Mod-Shift-x' },
  { name: 'code', tag: 'code', alike: [], key: 'Mod-e', typed: /(?:^|\s)(`(?!\s)([^`]+)`)$/ },
]

function toMark({ name, tag, alike, key, typed }: Look): Mark {
  const config: MarkConfig = {
    name,
    parseHTML: () => [tag, ...alike].map((one) => ({ tag: one })),
    renderHTML: () => [tag, 0],
    addKeyboardShortcuts() {
      return { [key]: () => this.editor.commands.toggleMark(name) }
    },
    addInputRules() {
      return typed === undefined ? [] : [markInputRule({ find: typed, type: this.type })]
    },
  }
  return Mark.create(config)
}

const Link = Mark.create({
  name: 'link',
  inclusive: false,
  addAttributes: () => ({
    url: {
      default: '',
      parseHTML: (element: HTMLElement) =>
        element.dataset['url'] ?? element.getAttribute('href') ?? '',
      renderHTML: ({ url }: Record<string, unknown>) => ({ 'data-url': url, title: url }),
    },
    entry: {
      default: null,
      parseHTML: ({ dataset }: HTMLElement) => readTarget(dataset['entry']),
      renderHTML: ({ entry }: Record<string, unknown>) => {
        const target = entryTargetOf(entry)
        return target === null ? {} : { 'data-entry': `${target.type} ${target.documentId}` }
      },
    },
    extra: { default: null, rendered: false },
    number: {
      default: null,
      parseHTML: ({ dataset }: HTMLElement) => dataset['number'] ?? null,
      renderHTML: ({ number }: Record<string, unknown>) =>
        number === null ? {} : { 'data-number': number },
    },
  }),
  parseHTML: () => [{ tag: 'a[data-url]' }, { tag: 'a[href]' }],
  renderHTML: ({ mark, HTMLAttributes }) => [
    'a',
    { ...HTMLAttributes, ...linkAttributes(String(mark.attrs['url'])), 'data-link': '' },
    0,
  ],
})

/** The target of a copied link. The server checks it. */
function readTarget(text = ''): EntryTarget | null {
  const [, type, documentId] = /^(api::[\w.-]+) ([a-z0-9]+)$/.exec(text) ?? []
  return entryTargetOf({ type, documentId })
}

/**
 * Allows only addresses of pages, never scripts. An empty `href` keeps the element a link for
 * screen readers.
 */
function linkAttributes(url: string): Readonly<Record<string, string>> {
  const isSafe = /^(?:https?:|mailto:|tel:|[/#?.])/i.test(url)
  return isSafe ? { href: url, target: '_blank', rel: 'noreferrer' } : { role: 'link' }
}

/** Preserves unknown keys of a text. */
const Extra = Mark.create({
  name: 'extra',
  addAttributes: () => ({ keys: { default: null, rendered: false } }),
  renderHTML: () => ['span', 0],
})

export const MARKS = [...LOOKS.map(toMark), Link, Extra]
