import { type TypeSummary, useTypes } from './content-types.ts'
import { useMay } from './session.ts'

export function useReadableTypes(): readonly TypeSummary[] {
  const may = useMay()
  return useTypes().filter(({ uid }) => may(`${uid}.find`))
}
