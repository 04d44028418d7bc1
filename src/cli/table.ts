/** Rows under their headings, in columns as wide as they need; a heading alone says that there are none. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const all = [headings, ...rows]
  const widths = headings.map((_, column) =>
    Math.max(...all.map((row) => widthOf(row[column] ?? ''))),
  )
  return all
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** To the minute, in UTC. */
export function formatTime(time: Date | null, absent: string): string {
  return time === null ? absent : `${time.toISOString().slice(0, 16).replace('T', ' ')}Z`
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)))
}

/** In code points: good enough for names, few of which have wide characters. */
function widthOf(cell: string): number {
  return Array.from(cell).length
}
