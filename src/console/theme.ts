// Runs before the first paint. What was chosen in Settings overrides the system; `data-theme` is read by tokens.css.
try {
  const theme = localStorage.getItem('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme
} catch {
  // a browser that keeps nothing has the system's theme
}
