export interface LocationValue {
  readonly latitude: number
  readonly longitude: number
}

export function isLocation(value: unknown): value is LocationValue {
  if (typeof value !== 'object' || value === null) return false
  const { latitude, longitude } = value as Partial<Record<keyof LocationValue, unknown>>
  return typeof latitude === 'number' && typeof longitude === 'number'
}
