import type { LocationValue } from '../../entry/location-value.ts'
import { parseNumber } from '../number/parse-number.ts'

export interface TypedLocation {
  readonly latitude: string
  readonly longitude: string
}

export type ParsedLocation =
  | { readonly kind: 'value'; readonly value: LocationValue | null }
  | { readonly kind: 'unreadable'; readonly why: 'half' | 'number' | 'latitude' | 'longitude' }

/** Parses localized coordinates. Two empty texts are null. */
export function parseCoordinates(typed: TypedLocation, language: string): ParsedLocation {
  const isEmpty = [typed.latitude, typed.longitude].map((text) => text.trim() === '')
  if (isEmpty.every(Boolean)) return { kind: 'value', value: null }
  if (isEmpty.some(Boolean)) return { kind: 'unreadable', why: 'half' }
  const latitude = degreesOf(typed.latitude, language)
  const longitude = degreesOf(typed.longitude, language)
  if (latitude === null || longitude === null) return { kind: 'unreadable', why: 'number' }
  if (Math.abs(latitude) > 90) return { kind: 'unreadable', why: 'latitude' }
  if (Math.abs(longitude) > 180) return { kind: 'unreadable', why: 'longitude' }
  return { kind: 'value', value: { latitude, longitude } }
}

function degreesOf(text: string, language: string): number | null {
  const parsed = parseNumber('float', text, language)
  return parsed.kind === 'value' && typeof parsed.value === 'number' ? parsed.value : null
}

/** Two decimals are about a kilometer, more than a click on the map can mean. */
export function locationAt(across: number, down: number): LocationValue {
  const degrees = (share: number, range: number): number =>
    Math.round((Math.min(1, Math.max(0, share)) - 0.5) * range * 100) / 100 + 0
  return { latitude: degrees(1 - down, 180), longitude: degrees(across, 360) }
}
