import { Node, textblockTypeInputRule } from '@tiptap/core'
import { PICTURE_TAG, readPicture, writePicture } from './image-html.ts'

/** Preserves unknown keys of a node. */
const EXTRA = { extra: { default: null, rendered: false } }

const Doc = Node.create({ name: 'doc', topNode: true, content: 'block+' })

const Text = Node.create({ name: 'text', group: 'inline' })

const Paragraph = Node.create({
  name: 'paragraph',
  priority: 1000, // the default type of new blocks
  group: 'block',
  content: 'inline*',
  addAttributes: () => EXTRA,
  parseHTML: () => [{ tag: 'p' }],
  renderHTML: () => ['p', 0],
})

const LEVELS = [1, 2, 3, 4, 5, 6] as const

const Heading = Node.create({
  name: 'heading',
  group: 'block',
  content: 'inline*',
  defining: true,
  addAttributes: () => ({ ...EXTRA, level: { default: 1, rendered: false } }),
  parseHTML: () => LEVELS.map((level) => ({ tag: `h${level}`, attrs: { level } })),
  renderHTML: ({ node }) => [`h${String(node.attrs['level'])}`, 0],
  addInputRules() {
    return LEVELS.map((level) =>
      textblockTypeInputRule({
        find: new RegExp(`^(#{${level}})\\s$`),
        type: this.type,
        getAttributes: { level },
      }),
    )
  },
  addKeyboardShortcuts() {
    return Object.fromEntries(
      LEVELS.map((level) => [
        `Mod-Alt-${level}`,
        () => this.editor.commands.toggleNode('heading', 'paragraph', { level }),
      ]),
    )
  },
})

const Quote = Node.create({
  name: 'blockquote',
  group: 'block',
  content: 'inline*',
  defining: true,
  addAttributes: () => EXTRA,
  parseHTML: () => [{ tag: 'blockquote' }],
  renderHTML: () => ['blockquote', 0],
  addInputRules() {
    return [textblockTypeInputRule({ find: /^>\s$/, type: this.type })]
  },
})

const Code = Node.create({
  name: 'codeBlock',
  group: 'block',
  content: 'text*',
  code: true,
  defining: true,
  addAttributes: () => ({ ...EXTRA, language: { default: null, rendered: false } }),
  parseHTML: () => [{ tag: 'pre', preserveWhitespace: 'full' }],
  renderHTML: () => ['pre', ['code', 0]],
  addInputRules() {
    return [textblockTypeInputRule({ find: /^```\s$/, type: this.type })]
  },
})

/**
 * Lists contain items and lists, as in `blocks`. HTML does not allow a list directly in a list, so
 * a nested list renders in an item element of its own.
 */
const List = Node.create({
  name: 'list',
  group: 'block',
  content: '(listItem | list)+',
  addAttributes: () => ({
    extra: { default: null, rendered: false, parseHTML: levelOf },
    format: {
      default: 'unordered',
      renderHTML: ({ format }: Record<string, unknown>) => ({ 'data-list': format }),
    },
  }),
  parseHTML: () => [
    { tag: 'ol', attrs: { format: 'ordered' } },
    { tag: 'ul', attrs: { format: 'unordered' } },
  ],
  renderHTML: ({ node, HTMLAttributes }) => [tagOf(node.attrs['format']), HTMLAttributes, 0],
  addNodeView() {
    return ({ node, view, getPos }) => {
      const list = document.createElement(tagOf(node.attrs['format']))
      list.dataset['list'] = String(node.attrs['format'])
      const at = getPos() ?? 0
      if (view.state.doc.resolve(at).parent.type.name !== 'list')
        return { dom: list, contentDOM: list }
      const item = document.createElement('li')
      item.dataset['nested'] = ''
      item.append(list)
      return { dom: item, contentDOM: list }
    }
  },
})

/** The level of a pasted nested list. */
function levelOf(element: HTMLElement): object | null {
  let level = 0
  for (let at = element.parentElement; at !== null; at = at.parentElement) {
    if (at.matches('ol, ul')) level += 1
  }
  return level === 0 ? null : { indentLevel: level }
}

function tagOf(format: unknown): 'ol' | 'ul' {
  return format === 'ordered' ? 'ol' : 'ul'
}

const ListItem = Node.create({
  name: 'listItem',
  content: 'inline*',
  defining: true,
  addAttributes: () => EXTRA,
  parseHTML: () => [{ tag: 'li' }],
  renderHTML: () => ['li', { 'data-item': '' }, 0],
})

const Image = Node.create({
  name: 'image',
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: () => ({ ...EXTRA, image: { default: null, rendered: false } }),
  parseHTML: () => [{ tag: PICTURE_TAG, getAttrs: readPicture }],
  renderHTML: ({ node }) => writePicture(node.attrs),
})

const HardBreak = Node.create({
  name: 'hardBreak',
  group: 'inline',
  inline: true,
  selectable: false,
  linebreakReplacement: true,
  parseHTML: () => [{ tag: 'br' }],
  renderHTML: () => ['br'],
  renderText: () => '\n',
  addKeyboardShortcuts() {
    return { 'Shift-Enter': () => this.editor.commands.insertContent({ type: 'hardBreak' }) }
  },
})

export const NODES = [Doc, Text, Paragraph, Heading, Quote, Code, List, ListItem, Image, HardBreak]
