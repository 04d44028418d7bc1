/** A node of a `blocks` value: see docs/content-types.md. Unknown keys are preserved. */
export interface BlockNode {
  readonly type: string
  readonly children?: readonly BlockNode[]
  readonly [key: string]: unknown
}

export function blockText(blocks: readonly BlockNode[]): string {
  const inline = (node: BlockNode): string =>
    node.type === 'text'
      ? String(node['text'])
      : (node.children ?? []).map(inline).join(node.type === 'table-row' ? ' | ' : '')
  const isBlock = ({ type }: BlockNode): boolean => !['text', 'link'].includes(type)
  const lines = (node: BlockNode): readonly string[] =>
    node.type !== 'table-row' && (node.children ?? []).some(isBlock)
      ? (node.children ?? []).flatMap(lines)
      : [inline(node)]
  return blocks.flatMap(lines).join('\n')
}
