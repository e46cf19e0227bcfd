namespace FastCgi.AspNetCore.Tests.Requests;

internal sealed class DelegateWork(Action work) : IThreadPoolWorkItem
{
    public void Execute() => work();
}
