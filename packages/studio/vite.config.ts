import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The server that the app talks to while it is being written (`npm run dev`). */
const server = process.env['QUIRE_ADDRESS'] ?? 'http://127.0.0.1:1337'

export default defineConfig({
  root: import.meta.dirname,
  base: '/studio/',
  plugins: [react()],
  build: {
    outDir: '../../dist/studio',
    emptyOutDir: true,
    // The server's policy allows no data: scripts, and small pictures are drawn by the app itself.
    assetsInlineLimit: 0,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    reportCompressedSize: false,
    // The editors of rich text, which are loaded when one is opened.
    chunkSizeWarningLimit: 900,
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(['/admin', '/api', '/uploads'].map((path) => [path, server])),
  },
})
