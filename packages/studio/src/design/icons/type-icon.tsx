import type { TypeSummary } from '../../api/content-types.ts'
import { DeclaredIcon } from './declared-icon.tsx'

export function TypeIcon({ type }: { readonly type: Pick<TypeSummary, 'kind' | 'icon'> }) {
  const { kind, icon } = type
  return <DeclaredIcon name={icon} otherwise={kind === 'singleType' ? 'page' : 'types'} />
}
