namespace FastCgi.FuzzTests.Memory.Stepping;

/// <summary>Something that one thread would do next. It may wait for its turn several times over.</summary>
internal interface IStep
{
    void Run();
}
