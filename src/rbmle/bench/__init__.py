"""The measurements of `rbmle bench`: speed and memory of this package as ratios to references.

`import rbmle` does not import this package.
"""
