"""What `rbmle bench` measures: our speed and memory against references, each as a ratio.

Nothing here is imported by `import rbmle`.
"""
