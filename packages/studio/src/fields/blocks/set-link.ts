import type { EntryTarget } from '../../entry/entry-target.ts'
import type { Editor } from './open-blocks-editor.ts'

export interface LinkFormProps {
  readonly editor: Editor
  readonly onDone: () => void
}

/** A link to an address or to an entry. The server fills the URL of a link to an entry. */
export type LinkAttributes =
  { readonly url: string; readonly entry: null } | { readonly url: ''; readonly entry: EntryTarget }

/** Links the selection or the link at the cursor. Without either, inserts a linked text. */
export function setLink(editor: Editor, attrs: LinkAttributes, text: string): void {
  const chain = editor.chain().focus().extendMarkRange('link')
  if (editor.state.selection.empty && !editor.isActive('link')) {
    chain.insertContent({ type: 'text', text, marks: [{ type: 'link', attrs }] }).run()
  } else chain.setMark('link', attrs).run()
}

export function removeLink(editor: Editor): void {
  editor.chain().focus().extendMarkRange('link').unsetMark('link').run()
}
