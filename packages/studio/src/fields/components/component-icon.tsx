import { DeclaredIcon } from '../../design/icons/declared-icon.tsx'

export function ComponentIcon({ icon }: { readonly icon: string | undefined }) {
  return <DeclaredIcon name={icon} otherwise="component" />
}
