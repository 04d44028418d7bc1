const PATHS = {
  home: 'M3 7.5 8 3l5 4.5V13H9.5V9.5h-3V13H3z',
  media: 'M2.5 3.5h11v9h-11zM2.5 10.5l3-3 3 3 1.5-1.5 3.5 3.5M10 6.5h.01',
  list: 'M3 4.5h10M3 8h10M3 11.5h10',
  grid: 'M3 3h4v4H3zM9 3h4v4H9zM3 9h4v4H3zM9 9h4v4H9z',
  page: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  settings: 'M2.5 5h6M11.5 5h2M10 3.5v3M2.5 11h2M7.5 11h6M6 9.5v3',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.200 10.200 13.5 13.5',
  plus: 'M8 3.5v9M3.5 8h9',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3.5 8.5 6.5 11.5 12.5 5',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  left: 'M10 3.5 5.5 8 10 12.5',
  right: 'M6 3.5 10.5 8 6 12.5',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  folder: 'M2.5 12.5v-9h4l1.5 2h5.5v7z',
  upload: 'M8 10.5v-8M4.5 6 8 2.5 11.5 6M3 13.5h10',
  trash: 'M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  external: 'M9 3h4v4M13 3 7.5 8.5M11 9.5v3.5H3V5h3.5',
  reload: 'M13 8a5 5 0 1 1-1.500-3.500L13 6M13 2.500V6H9.500',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  key: 'M6 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM7.800 8.200 13 3M10.5 5.5l2 2',
  globe:
    'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2 8h12M8 2c2 2 2.5 4 2.5 6S10 12 8 14c-2-2-2.5-4-2.5-6S6 4 8 2z',
  people:
    'M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 3.200a2.5 2.5 0 0 1 0 4.6M12 9.800c1.5.6 2.5 1.9 2.5 3.700',
  person:
    'M8 8a2.700 2.700 0 1 0 0-5.400A2.700 2.700 0 0 0 8 8zM2.800 13.800c0-2.800 2.300-4.400 5.200-4.400s5.200 1.6 5.200 4.400',
  video: 'M2 4h8v8H2zM10 7l4-2v6l-4-2',
  audio:
    'M5.5 11.5V3.5l7-1.5v8M5.5 11.5a1.750 1.750 0 1 1-3.5 0 1.750 1.750 0 0 1 3.5 0zM12.5 10a1.750 1.750 0 1 1-3.5 0 1.750 1.750 0 0 1 3.5 0z',
  grip: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
} as const

export type IconName = keyof typeof PATHS

/** A decorative line drawing of 16 by 16 pixels. The text next to it has the meaning. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  const isDots = name === 'more' || name === 'grip'
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={isDots ? 1.8 : 1.3}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
