"""Evaluation: numbers that one can trust about what a program answers.

* `cases`       files of cases, read with every broken line named
* `rows`        the formats: JSON lines, JSON, CSV and YAML as rows with their lines
* `statistics`  means with intervals, paired tests, agreement: exact formulas and a seeded bootstrap
"""
