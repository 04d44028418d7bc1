import type { Node, Schema } from '@tiptap/pm/model'
import type { EditorState, Transaction } from '@tiptap/pm/state'
import type { ToolIconName } from '../../design/icons/tool-icons.ts'
import type { Texts } from '../../texts/texts.ts'
import { placeBlock } from './place-block.ts'

export interface SlashItem {
  readonly id: string
  readonly icon: ToolIconName
  readonly name: string
  /** Other words that find it, in each language. */
  readonly aliases: readonly string[]
  /** The empty block; absent for a picture, which is chosen first. */
  readonly create?: (schema: Schema) => Node
}

/** @param createTable null if the text takes no tables */
export function slashItems(
  { t }: Texts,
  createTable: ((schema: Schema) => Node) | null,
): readonly SlashItem[] {
  const list = (format: 'ordered' | 'unordered', alias: string): SlashItem => ({
    id: format,
    icon: format,
    name: t(`blocks.${format}`),
    aliases: [alias],
    create: (schema) => schema.node('list', { format }, schema.node('listItem')),
  })
  return [
    ...(['1', '2', '3'] as const).map((level): SlashItem => ({
      id: `heading${level}`,
      icon: 'heading',
      name: t('blocks.heading', { level }),
      aliases: [`h${level}`],
      create: (schema) => schema.node('heading', { level: Number(level) }),
    })),
    list('unordered', 'ul'),
    list('ordered', 'ol'),
    {
      id: 'quote',
      icon: 'quote',
      name: t('blocks.quote'),
      aliases: ['blockquote'],
      create: (schema) => schema.node('blockquote'),
    },
    {
      id: 'code',
      icon: 'codeBlock',
      name: t('blocks.codeBlock'),
      aliases: ['pre'],
      create: (schema) => schema.node('codeBlock'),
    },
    { id: 'image', icon: 'image', name: t('blocks.image'), aliases: ['img', 'picture'] },
    ...(createTable === null
      ? []
      : [
          {
            id: 'table',
            icon: 'table' as const,
            name: t('blocks.table'),
            aliases: ['grid'],
            create: createTable,
          },
        ]),
  ]
}

/** The items whose name, or a word of it, starts with the query. */
export function filterSlashItems(items: readonly SlashItem[], query: string): readonly SlashItem[] {
  const wanted = query.trim().toLowerCase()
  return items.filter(({ name, aliases }) => {
    const plain = name.toLowerCase()
    const words = [plain, ...plain.split(/\s+/), ...aliases]
    return (
      words.some((word) => word.startsWith(wanted)) || plain.replaceAll(' ', '').startsWith(wanted)
    )
  })
}

/** The text after a `/` that is all of a paragraph, with the cursor at its end; null without. */
export function findSlash({ selection }: EditorState): string | null {
  const { $from, empty } = selection
  const { parent, parentOffset } = $from
  const isPlain = empty && $from.depth === 1 && parent.type.name === 'paragraph'
  if (!isPlain || parentOffset !== parent.content.size) return null
  const text = parent.textBetween(0, parentOffset, undefined, '\uFFFC')
  return /^\/([\p{L}\p{N} ]{0,30})$/u.exec(text)?.[1] ?? null
}

/** Replaces the paragraph of `findSlash`. */
export function replaceSlash(state: EditorState, block: Node): Transaction {
  const { $from } = state.selection
  return placeBlock(state, $from.before(), $from.after(), block)
}
