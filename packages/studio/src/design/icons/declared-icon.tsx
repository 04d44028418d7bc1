import { useQuery } from '@tanstack/react-query'
import { type IconName, ICONS } from './icons.ts'
import { Drawing } from './icon.tsx'
import { loadPart } from '../load-part.tsx'

export interface DeclaredIconProps {
  /** A declared name (`info.icon`). Unknown names are treated like a missing one. */
  readonly name: string | undefined
  readonly otherwise: IconName
  readonly size?: number
}

/** The icon of a content-type or component. The set of declared names loads only if it is needed. */
export function DeclaredIcon({ name, otherwise, size = 16 }: DeclaredIconProps) {
  const { data, isPending } = useQuery({
    queryKey: ['declared icons'],
    queryFn: () => loadPart(async () => (await import('./declared-icons.ts')).DECLARED_ICONS),
    enabled: name !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (name === undefined) return <Drawing path={ICONS[otherwise]} size={size} />
  if (isPending) return <Drawing path="" size={size} />
  return <Drawing path={data?.get(name) ?? ICONS[otherwise]} size={size} />
}
