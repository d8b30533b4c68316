// Runs before the first paint. The choice in Settings overrides the system; tokens.css reads `data-theme`.
try {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme
} catch {
  // a browser without storage gets the system's theme
}
