import { useParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import { apiNameOf, type TypeSummary, useTypes } from '../../api/content-types.ts'
import { Skeleton } from '../../design/late.tsx'
import { lazyPart } from '../../design/load-part.tsx'
import { Missing } from '../../design/missing.tsx'

const ListScreen = lazyPart(async () => (await import('../list/list-screen.tsx')).ListScreen)
const EntryScreen = lazyPart(async () => (await import('../entry/entry-screen.tsx')).EntryScreen)

export function useAddressedType(): TypeSummary | undefined {
  const { type: name } = useParams({ strict: false })
  return useTypes().find((one) => apiNameOf(one) === name)
}

export function ContentScreen() {
  const type = useAddressedType()
  if (type === undefined) return <Missing />
  return (
    <Suspense fallback={<Skeleton />}>
      {type.kind === 'singleType' ? (
        <EntryScreen key={type.uid} type={type} documentId={null} />
      ) : (
        <ListScreen key={type.uid} type={type} />
      )}
    </Suspense>
  )
}
