import type { PopulateNode } from './query.ts'

export function nodeName(node: PopulateNode): string {
  switch (node.kind) {
    case 'relation':
      return node.relation.name
    case 'component':
      return node.component.name
    case 'zone':
      return node.zone.name
    case 'media':
      return node.media.name
    case 'localizations':
      return 'localizations'
    case 'users':
      return 'related'
  }
}
