namespace FastCgi.AspNetCore.Transport;

/// <summary>Is told by the monitor of inline runs that some time has passed while applications were running.</summary>
internal interface IInlineRunObserver
{
    void OnTick();
}
