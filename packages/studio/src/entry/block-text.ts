/** A node of a `blocks` value: see docs/content-types.md. Unknown keys are preserved. */
export interface BlockNode {
  readonly type: string
  readonly children?: readonly BlockNode[]
  readonly [key: string]: unknown
}

export function blockText(blocks: readonly BlockNode[]): string {
  const inline = (node: BlockNode): string =>
    node.type === 'text' ? String(node['text']) : (node.children ?? []).map(inline).join('')
  const isBlock = ({ type }: BlockNode): boolean => type !== 'text' && type !== 'link'
  const lines = (node: BlockNode): readonly string[] =>
    (node.children ?? []).some(isBlock) ? (node.children ?? []).flatMap(lines) : [inline(node)]
  return blocks.flatMap(lines).join('\n')
}
