// Everything here measures the process or loads both cores: one test at a time.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
